"""Asks a gateway through the official Python clients. Reads {url, key, picture, asks: [[client, manner, model]]}; writes what each heard, as JSON."""

import base64
import json
import sys

from anthropic import Anthropic
from google import genai
from google.genai import types
from openai import OpenAI

given = json.load(sys.stdin)
url, key = given["url"], given["key"]
schema = {"type": "object", "properties": {"city": {"type": "string"}}}
question = [{"role": "user", "content": "Hi"}]
picture = given["picture"]
drawn = picture.split(",")[1]

openai = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
anthropic = Anthropic(base_url=url, api_key=key, max_retries=0)
google = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url))


def openai_plain(model):
    answer = openai.chat.completions.create(model=model, messages=question)
    return answer.choices[0].message.content


def openai_stream(model):
    chunks = openai.chat.completions.create(model=model, messages=question, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def openai_tools(model):
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": schema}}]
    answer = openai.chat.completions.create(model=model, messages=question, tools=tools)
    return [[call.function.name, json.loads(call.function.arguments)] for call in answer.choices[0].message.tool_calls]


def openai_picture(model):
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": picture}}]
    answer = openai.chat.completions.create(model=model, messages=[{"role": "user", "content": content}])
    return answer.choices[0].message.content


def responses_plain(model):
    return openai.responses.create(model=model, input="Hi").output_text


def responses_stream(model):
    with openai.responses.stream(model=model, input="Hi") as stream:
        for _ in stream:
            pass
        return stream.get_final_response().output_text


def responses_tools(model):
    tools = [{"type": "function", "name": "get_weather", "parameters": schema, "strict": False}]
    output = openai.responses.create(model=model, input="Hi", tools=tools).output
    return [[item.name, json.loads(item.arguments)] for item in output if item.type == "function_call"]


def responses_picture(model):
    content = [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", "image_url": picture, "detail": "auto"}]
    return openai.responses.create(model=model, input=[{"role": "user", "content": content}]).output_text


def anthropic_plain(model):
    return anthropic.messages.create(model=model, max_tokens=50, messages=question).content[0].text


def anthropic_stream(model):
    with anthropic.messages.stream(model=model, max_tokens=50, messages=question) as stream:
        return stream.get_final_text()


def anthropic_tools(model):
    tools = [{"name": "get_weather", "input_schema": schema}]
    answer = anthropic.messages.create(model=model, max_tokens=50, messages=question, tools=tools)
    return [[block.name, block.input] for block in answer.content if block.type == "tool_use"]


def anthropic_picture(model):
    source = {"type": "base64", "media_type": "image/png", "data": drawn}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}]
    return anthropic.messages.create(model=model, max_tokens=50, messages=[{"role": "user", "content": content}]).content[0].text


def google_plain(model):
    return google.models.generate_content(model=model, contents="Hi").text


def google_stream(model):
    return "".join(piece.text or "" for piece in google.models.generate_content_stream(model=model, contents="Hi"))


def google_tools(model):
    weather = types.FunctionDeclaration(name="get_weather", parameters_json_schema=schema)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[weather])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    answer = google.models.generate_content(model=model, contents="Hi", config=config)
    return [[call.name, call.args] for call in answer.function_calls]


def google_picture(model):
    shown = types.Part.from_bytes(data=base64.b64decode(drawn), mime_type="image/png")
    return google.models.generate_content(model=model, contents=["What is this?", shown]).text


heard = {}
for client, manner, model in given["asks"]:
    try:
        heard[f"{client} {manner} {model}"] = globals()[f"{client}_{manner}"](model)
    except Exception as error:
        heard[f"{client} {manner} {model}"] = f"{type(error).__name__}: {error}"
json.dump(heard, sys.stdout)
