"""The model that is none: recall, a learned judgement and quoting, behind the same protocol as every other chat model."""
