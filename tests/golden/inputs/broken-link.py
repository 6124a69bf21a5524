from pathlib import Path

Path("gone.txt").symlink_to("nowhere.txt")
