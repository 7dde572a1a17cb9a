"""The verb doctor: look at everything an agent stands on, say what is wrong in words, and mend what is safe to mend.

Works on any state, however broken. Without `fix` it changes nothing. Knows no terminal: the faces show what it returns.
"""

from everself.operations.doctor.examination import DoctorReport, examine

__all__ = ["DoctorReport", "examine"]
