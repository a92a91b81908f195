"""Asking a service over HTTP: what the adapters of URLs, descriptions and chat models share."""
