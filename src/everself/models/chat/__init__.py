"""Chat models behind one small protocol: what they are asked, what they answer piece by piece, how they fail."""
