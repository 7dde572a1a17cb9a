"""The pages: each module holds the functions of one of them, from a visit to an answer."""
