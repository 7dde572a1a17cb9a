"""The verbs over what looks after an agent by itself: keepers, jobs, reviews."""
