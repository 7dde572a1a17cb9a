"""One module per command or family of commands; what a command needs of the App is imported when it runs."""
