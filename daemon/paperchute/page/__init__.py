"""The page: Paperchute in the browser. It listens on loopback, and answers whoever was let in by tray or terminal."""
