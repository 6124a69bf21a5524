from pathlib import Path

Path("docs").mkdir()
