"""What can be asked of an opened agent: one declaration per operation, which every interface calls."""
