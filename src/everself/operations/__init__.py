"""The operations on an opened agent. Each is declared once, and every interface calls that declaration."""
