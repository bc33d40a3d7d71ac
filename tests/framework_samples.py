"""Code as people write it with SDKs, for the tests of what is found in it."""

from __future__ import annotations

SEMANTIC_KERNEL = """
import asyncio
from semantic_kernel.agents import AgentGroupChat, ChatCompletionAgent
from semantic_kernel.agents.strategies import KernelFunctionTerminationStrategy
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function
from semantic_kernel.processes.kernel_process import KernelProcessStep


class Lights:
    @kernel_function(name="switch", description="Switch a lamp.")
    def switch_lamp(self, lamp: str) -> str:
        return lamp

    @kernel_function
    def lamps(self) -> str:
        return "all"

    def not_offered(self) -> None: ...


class Step(KernelProcessStep[dict]):
    @kernel_function
    async def advance(self) -> None: ...


butler = ChatCompletionAgent(
    service=OpenAIChatCompletion(),
    name="Butler",
    instructions="Look after the lamps.",
    plugins=[Lights()],
    function_choice_behavior=FunctionChoiceBehavior.Auto(maximum_auto_invoke_attempts=3),
)
critic = ChatCompletionAgent(service=OpenAIChatCompletion(), name="Critic", instructions="Judge.")
chat = AgentGroupChat(
    agents=[butler, critic],
    termination_strategy=KernelFunctionTerminationStrategy(maximum_iterations=7),
)


async def main():
    print(await butler.get_response(messages="Dim them."))
    async for message in critic.invoke(messages="And now?"):
        print(message)
    async for message in chat.invoke():
        print(message)


async def ask(history, settings, kernel):
    reply = await OpenAIChatCompletion().get_chat_message_content(history, settings, kernel=kernel)
    return reply.content
"""
HAYSTACK = """
from typing import Annotated
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import ComponentTool, Tool, tool


@tool
def weather(city: Annotated[str, "a city"]) -> str:
    "The weather of a city."
    return city


def pay(amount: int) -> str:
    return str(amount)


paying = Tool(name="pay_out", description="Pay.", parameters={}, function=pay)
search = ComponentTool(component=object(), name="search", description="Search.")
agent = Agent(
    chat_generator=OpenAIChatGenerator(model="m"),
    tools=[weather, paying, search],
    system_prompt="Help.",
    max_agent_steps=12,
)


def main(question):
    result = agent.run(messages=[ChatMessage.from_user(question)])
    return result["messages"][-1].text


def once(question):
    reply = OpenAIChatGenerator().run(messages=[ChatMessage.from_user(question)])["replies"][0]
    return reply.text, reply.meta["finish_reason"], reply.meta["usage"]
"""
STRANDS = """
from strands import Agent, tool
from strands.multiagent import GraphBuilder, Swarm
from strands_tools import calculator, shell


@tool
def refund(order: str) -> str:
    "Send the money for an order back."
    return order


class Desk:
    def __init__(self) -> None:
        self.agent = Agent(name="desk", system_prompt="Help.", tools=[refund, calculator, shell])

    def ask(self, question):
        return self.agent(question)


def bounded(agent: Agent, question):
    return agent(question, limits={"turns": 8})


researcher = Agent(name="researcher")
writer = Agent(name="writer")
swarm = Swarm([researcher, writer], max_handoffs=5, max_iterations=6)


async def work(task):
    async for event in researcher.stream_async(task):
        print(event)
    return swarm(task)


def drawn(task):
    builder = GraphBuilder()
    builder.add_node(researcher, "research")
    graph = builder.build()
    return graph(task)
"""
DSPY = """
import dspy

lm = dspy.LM("openai/m")
dspy.configure(lm=lm)


def search(query: str) -> list[str]:
    "Search the web."
    return [query]


def count(text: str) -> int:
    return len(text)


class Answer(dspy.Module):
    def __init__(self):
        super().__init__()
        self.react = dspy.ReAct("question -> answer", tools=[search, dspy.Tool(count, name="size")])
        self.polish = dspy.ChainOfThought("answer -> text")

    def forward(self, question):
        found = self.react(question=question, max_iters=4)
        return self.polish(answer=found.answer)


act = dspy.CodeAct("n -> factorial", tools=[count], max_iters=2)


def main():
    print(act(n=5), lm("Say hello."))
"""
BEDROCK = """
import boto3

session = boto3.Session(region_name="eu-west-1")
client = session.client("bedrock-runtime")
TOOLS = {"tools": [{"toolSpec": {"name": "refund", "description": "Pay back.",
                                 "inputSchema": {"json": {"type": "object"}}}}]}


def refund(order):
    return order


def converse(messages):
    reply = client.converse(modelId="m", messages=messages, toolConfig=TOOLS,
                            inferenceConfig={"maxTokens": 500})
    if reply["stopReason"] == "max_tokens":
        raise RuntimeError("cut")
    return reply["output"]["message"], reply["usage"]["outputTokens"]


def stream(messages):
    for event in boto3.client("bedrock-runtime").converse_stream(modelId="m", messages=messages)[
        "stream"
    ]:
        print(event)


class Raw:
    def __init__(self, client):
        self.client = client

    def ask(self, body):
        return self.client.invoke_model(modelId="m", body=body)["body"].read()


def upload(bucket, file):
    boto3.client("s3").upload_file(file, bucket, file)
"""
MCP = """
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("desk")


@mcp.tool()
def refund(order: str) -> str:
    return order


@mcp.tool(name="list_orders", annotations={"readOnlyHint": True})
def orders() -> list[str]:
    return []


def cancel(order: str) -> str:
    return order


mcp.add_tool(cancel, name="cancel_order")
"""
FASTMCP = """
from fastmcp import FastMCP
from fastmcp.tools import Tool

mcp = FastMCP("desk")


@mcp.tool
def refund(order: str) -> str:
    return order


def cancel(order: str) -> str:
    return order


def close(order: str) -> str:
    return order


mcp.add_tool(Tool.from_function(cancel))
mcp.tool(close)
"""
