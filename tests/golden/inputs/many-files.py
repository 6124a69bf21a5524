"""Forty-five files in a folder, each a little longer than the one before."""

from repository import write

for number in range(45):
    write(f"many/{number:02}.txt", "退款 refund\n" * (number + 1))
