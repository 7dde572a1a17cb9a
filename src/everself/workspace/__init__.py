"""THE TRUTH: documents, their layout, and change sets with history. Runs the guards it is given; knows no entry and no index."""
