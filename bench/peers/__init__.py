"""What a user would pick instead, each as plain and as quick as a competent user would have it."""
