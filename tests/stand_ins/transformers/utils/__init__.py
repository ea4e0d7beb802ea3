"""What is beside models."""
