"""What the memories of a document are: read, named so that hand edits keep their names, believed as far as something vouches for them."""
