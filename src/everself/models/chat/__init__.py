"""Chat models behind one small protocol: what they are asked, what they answer part by part, how they fail."""
