"""The myths, one module each; the module's name is the slug."""
