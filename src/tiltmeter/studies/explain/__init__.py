"""Why a system scores as it does, asked of any black box: words left out, names alone, lexicons."""
