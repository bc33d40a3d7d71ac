"""What a semantic cache in front of recorded agents would have answered."""
