"""Oracle's wire protocol, server side: one client's connection. The only package that imports seerdb.

seerdb 3.3.0 calls its server side a preview: it is pinned exactly, what the lab uses of it is here (``serve_session`` over a
``PacketStream`` and a backend), and tests/database/test_wire.py holds each thing that is relied on.
"""
