-- mode: changelog
SELECT bidder, count(*) AS n, window.start AS start_time, window.end AS end_time
FROM bid
GROUP BY bidder, session_window(date_time, '10 seconds')
