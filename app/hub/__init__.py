"""What is asked of model hubs: metadata, search, headers, tokens."""
