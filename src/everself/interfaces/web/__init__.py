"""What a person's browser is served: signing in by a link that works once, and the pages. Each page calls operations and renders them."""
