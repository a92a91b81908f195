"""Pure array functions: numbers in, numbers out, every system at once."""
