"""One module per command or group of commands; what a command needs of the runtime is imported when it runs."""
