"""Whether a bot, in whatever language, keeps to the play protocol: a server by script, and a checklist."""
