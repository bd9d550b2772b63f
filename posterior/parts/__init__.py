"""The beliefs about one block, solved or sampled, and how they are put together."""
