"""What appeared in the hot folders, and is it complete? Emitters, settling, scans: see `watcher.Watcher`."""
