"""What may be claimed: estimates in, findings out."""
