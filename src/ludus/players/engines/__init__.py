"""Other people's programs as players, by the protocols that they speak: QTP, UGI, GNU Backgammon's socket, wildbg's HTTP ([docs/engines.md])."""
