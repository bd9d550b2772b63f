"""Hidden paths: tables that were perturbed step by step, believed by way of all steps."""
