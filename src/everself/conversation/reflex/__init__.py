"""The model that is none: rules over patterns and recall, behind the same protocol as every other chat model."""
