"""The keepers: background jobs that propose changes to memory. Also the scheduler that runs jobs."""
