"""What can be asked of an opened agent: one function a verb, which every face calls."""
