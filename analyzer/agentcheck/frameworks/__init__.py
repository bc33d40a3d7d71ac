"""What names mean in each SDK: versioned data files, and the release that a target pins."""
