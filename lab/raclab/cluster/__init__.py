"""The RAC cluster: nodes, their background processes, and what sessions do to each other, as programs for the kernel."""
