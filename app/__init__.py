"""Decides: commands, conversations, the engine's life, sentences. No Qt, no llama_cpp."""
