"""What a corpus can show or rule out, before anyone is asked."""
