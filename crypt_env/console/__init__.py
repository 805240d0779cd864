"""What a program does on its console: progress, standard streams and signals."""
