"""Decodes: loads a pair, drafts, verifies. No Qt, no network, no settings, no sentences for users."""
