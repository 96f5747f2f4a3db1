# Made by `npm run sdk:python` from the OpenAPI document. Change the API, or sdk-python/generate.py, not this file.
