"""What people see: the tray icon and its menu, notifications, progress in the terminal."""
