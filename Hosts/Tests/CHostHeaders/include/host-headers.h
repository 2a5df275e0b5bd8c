// This target has no functions. See its C files.
