"""The report as tables: those of the paper, and what lies behind them."""
