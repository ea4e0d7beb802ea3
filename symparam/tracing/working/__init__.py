"""What a traced module multiplies and keeps: forward passes, searched as builds are."""
