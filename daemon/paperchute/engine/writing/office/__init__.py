"""What the Word and RTF writers share: pages of the model as the parts that a word processor knows."""
