"""What a traced module multiplies and keeps: forward passes without numbers, searched as shapes are."""
